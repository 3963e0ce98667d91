-- Whether a mailing line can be where the letter goes (a number, a PO box, a rural route), and not who it goes to.
create or replace macro is_street_line(line) as
    coalesce(regexp_matches(line, '^\s*(\d|#|(?i:P\.?\s?O\.?\s?B|POST OFFICE|R\.?R\.?\s|HC\s|ONE\s))'), false)
