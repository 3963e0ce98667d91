-- Whether a street's name is the other with one letter changed, lost, doubled or swapped with its neighbour. Short names and figures that differ are other streets.
create or replace macro is_slip(l, r) as
    length(l) >= 4
    and length(r) >= 4
    and damerau_levenshtein(l, r) = 1
    and regexp_replace(l, '\D', '', 'g') = regexp_replace(r, '\D', '', 'g')
