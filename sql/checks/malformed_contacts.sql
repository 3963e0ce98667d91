-- what it means: a phone is not eleven digits with a leading 1, or an e-mail has no domain
-- what to do: look at src/normalize/phone.ts and email.ts; the dictionary is refilled when they change
select 'phones ' || left(phone, 4) as offender from published.phones where not regexp_full_match(phone, '1[2-9]\d{9}')
union all
select 'person_emails ' || person_id from published.person_emails where not regexp_full_match(email, '[^@\s]+@[^@\s]+\.[^@\s]+')
