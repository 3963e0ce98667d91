-- Returns the text of an address in the address dictionary: line 1, line 2, city, state and ZIP code, with unit
-- separators between them. Null without a line.
create or replace macro address_text(line_1, line_2, city, state, zip) as
    case
        when coalesce(line_1, line_2) is not null
            then coalesce(line_1, '') || chr(31) || coalesce(line_2, '') || chr(31) || coalesce(city, '') || chr(31)
                || coalesce(state, '') || chr(31) || coalesce(zip, '')
    end
