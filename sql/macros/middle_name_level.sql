-- How far two middle names agree: 2 the same word, 1 an initial of the other, -1 not; 0 unknown.
create or replace macro middle_name_level(l, r) as
    case
        when l is null or r is null then 0
        when l = r then case when length(l) > 1 then 2 else 1 end
        when left(l, 1) = left(r, 1) and (length(l) = 1 or length(r) = 1) then 1
        when damerau_levenshtein(l, r) = 1 then 1
        else -1
    end
