-- what it means: a person or a business has a phone that published.phones does not have
-- what to do: build published again; published.phones is older than the others
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
