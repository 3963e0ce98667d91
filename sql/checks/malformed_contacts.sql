-- what it means: a phone is not eleven digits that begin with 1, or an e-mail address has no domain
-- what to do: correct src/normalize/phone.ts or email.ts; the next run then normalises all phones and e-mails again
select 'phones ' || left(phone, 4) as offender from published.phones where not regexp_full_match(phone, '1[2-9]\d{9}')
union all
select 'person_emails ' || person_id from published.person_emails where not regexp_full_match(email, '[^@\s]+@[^@\s]+\.[^@\s]+')
