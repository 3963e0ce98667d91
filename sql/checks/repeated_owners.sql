-- what it means: a property has the same owner twice
-- what to do: look at sql/publish/property_owners.sql: two lines of a roll that name one owner must become one row
select
    property_id as offender,
from published.property_owners
where coalesce(person_id, business_id) is not null
group by property_id, coalesce(person_id, business_id)
having count(*) > 1
