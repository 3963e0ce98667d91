-- Returns true when a mailing line begins like a delivery address (a number, a PO box, a rural route). Other lines
-- name the recipient.
create or replace macro is_street_line(line) as
    coalesce(regexp_matches(line, '^\s*(\d|#|(?i:P\.?\s?O\.?\s?B|POST OFFICE|R\.?R\.?\s|HC\s|ONE\s))'), false)
