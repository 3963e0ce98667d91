-- what it means: a score is missing or not between 0 and 100
-- what to do: look for a source weight outside 0–1 in the source definitions, or a date far in the future
select 'person_addresses ' || person_id as offender from published.person_addresses where score is null or score not between 0 and 100
union all
select 'person_phones ' || person_id from published.person_phones where score is null or score not between 0 and 100
union all
select 'person_emails ' || person_id from published.person_emails where score is null or score not between 0 and 100
union all
select 'relatives ' || person_id from published.relatives where score is null or score not between 0 and 100
union all
select 'people ' || person_id from published.people where completeness is null or completeness not between 0 and 100
