-- Returns the text of a name in the name dictionary: its order, a unit separator, and the whole name or its parts
-- separated by tabs.
create or replace macro name_text(full_name, name_order, last_name, first_name, middle_name, name_suffix) as
    case
        when full_name is not null then coalesce(name_order, 'unknown') || chr(31) || full_name
        when coalesce(last_name, first_name) is not null
            then 'parts' || chr(31) || coalesce(last_name, '') || chr(9) || coalesce(first_name, '') || chr(9)
                || coalesce(middle_name, '') || chr(9) || coalesce(name_suffix, '')
    end
