-- what it means: a person has more than forty surnames: a shared phone, address or identifier has joined different people
-- what to do: run `platbook explain <person id>` to find the shared value; add a placeholder value to the sentinels in the source definition
select
    person_id as offender,
from published.person_names
where last_name is not null
group by person_id
having count(distinct last_name) > 40
