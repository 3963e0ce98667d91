-- what it means: a person has a birth date before 1900, in the future, or with a month or day that no calendar has
-- what to do: find the source with `platbook explain <person id>`, and correct the birth date formats in its definition
select
    person_id as offender,
from published.people
where date_of_birth is not null
    and (
        not regexp_full_match(date_of_birth, '\d{4}-\d{2}-\d{2}')
        or left(date_of_birth, 4)::integer < 1900
        or left(date_of_birth, 4)::integer > year(current_date)
        or substr(date_of_birth, 6, 2)::integer > 12
        or substr(date_of_birth, 9, 2)::integer > 31
    )
