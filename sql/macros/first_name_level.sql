-- How far two first names agree: 3 the same, 2 a nickname, 1 an initial or a typing error, 0 not, null unknown.
create or replace macro first_name_level(l, r, l_class, r_class) as
    case
        when l is null or r is null then null
        when l = r then 3
        when l_class = r_class then 2
        when (length(l) = 1 or length(r) = 1) then case when left(l, 1) = left(r, 1) then 1 else 0 end
        when length(l) >= 4 and length(r) >= 4 and damerau_levenshtein(l, r) = 1 then 1
        when jaro_winkler_similarity(l, r) >= 0.93 then 1
        else 0
    end
