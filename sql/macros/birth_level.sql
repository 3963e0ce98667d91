-- How far two birth dates (yyyymmdd, zeros unknown) agree: 3 the same day, 2 the parts that are known, 1 a typing error, -1 not; 0 unknown.
create or replace macro birth_level(l, r) as
    case
        when l = 0 or r = 0 then 0
        when l = r then case when l % 100 > 0 then 3 else 2 end
        when l // 10000 = r // 10000 and (l % 10000 = 0 or r % 10000 = 0) then 2
        when l // 100 = r // 100 and (l % 100 = 0 or r % 100 = 0) then 2
        when l // 10000 = r // 10000 and l // 100 % 100 = r % 100 and l % 100 = r // 100 % 100 then 1
        when damerau_levenshtein(l::varchar, r::varchar) = 1 then 1
        else -1
    end
