-- How far two last names agree: 3 the same, 2 through a former name or one part of a double name, 1 a typing error, 0 not.
create or replace macro last_name_level(l, r, l_other, r_other) as
    case
        when l is null or r is null then null
        when l = r then 3
        when l = r_other or l_other = r or l_other = r_other then 2
        when length(l) >= 4 and starts_with(r, l || ' ') or length(r) >= 4 and starts_with(l, r || ' ') then 2
        when length(l) >= 4 and ends_with(r, ' ' || l) or length(r) >= 4 and ends_with(l, ' ' || r) then 2
        when length(l) >= 5 and length(r) >= 5 and damerau_levenshtein(l, r) = 1 then 1
        when jaro_winkler_similarity(l, r) >= 0.95 then 1
        else 0
    end
