-- Returns true when two street names differ by one typo: a letter changed, lost, added, or swapped with the next
-- one. Names of fewer than four letters, or with different digits, are different streets.
create or replace macro is_typo(l, r) as
    length(l) >= 4
    and length(r) >= 4
    and damerau_levenshtein(l, r) = 1
    and regexp_replace(l, '\D', '', 'g') = regexp_replace(r, '\D', '', 'g')
