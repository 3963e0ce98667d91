-- what it means: a person was born before 1900, in the future, or on a day that no calendar has
-- what to do: look at the birth date formats in the definition of the source behind the person (`platbook explain`)
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
