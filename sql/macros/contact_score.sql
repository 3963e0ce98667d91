-- How sure it is, 0 to 100, that a phone or an e-mail address is a person's, and still is. Half the trust is gone after three years; two people to a number is a household, ten are a switchboard.
create or replace macro contact_score(newest_on, last_seen_on, weight, source_count, person_count, is_past) as
    100 * (
        0.35 * case when last_seen_on is null then 0 else pow(0.5, greatest(newest_on - last_seen_on, 0) / 1096.0) end
        + 0.30 * weight
        + 0.15 * least(source_count, 3) / 3
        + 0.20 / pow(person_count, 0.5)
    ) * case when is_past then 0.5 else 1 end
