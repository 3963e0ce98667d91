-- what it means: a person or a business has a phone that published.phones does not have
-- what to do: run `platbook publish --full`; published.phones is older than the other tables
with

used as (
    select phone from published.person_phones
    union all
    select phone from published.business_phones
)

select distinct
    used.phone as offender,
from used
anti join published.phones using (phone)
