-- How far two suffixes agree: 1 the same, 0 both without, -1 one of them without, -2 not.
create or replace macro suffix_level(l, r) as
    case
        when l is null and r is null then 0
        when l is null or r is null then -1
        when l = r then 1
        else -2
    end
