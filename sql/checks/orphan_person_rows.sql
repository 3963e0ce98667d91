-- what it means: a published table has a person id that published.people does not have
-- what to do: run `platbook publish --full`; if the error stays, correct the joins in sql/publish/<table>.sql
select 'person_addresses ' || person_id as offender from published.person_addresses anti join published.people using (person_id)
union all
select 'person_names ' || person_id from published.person_names anti join published.people using (person_id)
union all
select 'person_phones ' || person_id from published.person_phones anti join published.people using (person_id)
union all
select 'person_emails ' || person_id from published.person_emails anti join published.people using (person_id)
union all
select 'residents ' || person_id from published.residents anti join published.people using (person_id)
union all
select 'relatives ' || relative_id
from published.relatives
where person_id not in (select person_id from published.people)
    or relative_id not in (select person_id from published.people)
union all
select 'property_owners ' || person_id
from published.property_owners
where person_id is not null and person_id not in (select person_id from published.people)
