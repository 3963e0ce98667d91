-- Returns how well two middle names agree: 2 for the same word, 1 for an initial or a typo, 0 when one is unknown,
-- -1 otherwise.
create or replace macro middle_name_level(l, r) as
    case
        when l is null or r is null then 0
        when l = r then case when length(l) > 1 then 2 else 1 end
        when left(l, 1) = left(r, 1) and (length(l) = 1 or length(r) = 1) then 1
        when damerau_levenshtein(l, r) = 1 then 1
        else -1
    end
