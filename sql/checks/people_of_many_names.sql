-- what it means: a person has over forty surnames: a shared phone, address or identifier has joined strangers
-- what to do: find the edges of the cluster in link.edges; an identifier that is a placeholder belongs in the definition's sentinels
select
    person_id as offender,
from published.person_names
where last_name is not null
group by person_id
having count(distinct last_name) > 40
