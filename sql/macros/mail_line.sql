-- Returns the street line of a mailing address. Its first lines may be `C/O …` or `ATTN …`.
create or replace macro mail_line(line_1, line_2, line_3) as
    case
        when is_street_line(line_1) then concat_ws(' ', line_1, line_2, line_3)
        when is_street_line(line_2) then concat_ws(' ', line_2, line_3)
        when is_street_line(line_3) then line_3
        else nullif(concat_ws(' ', line_1, line_2, line_3), '')
    end
