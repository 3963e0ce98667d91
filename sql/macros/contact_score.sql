-- Returns how likely a phone or e-mail address still belongs to a person, from 0 to 100. The recency part halves
-- every three years (1,096 days), and the exclusivity part falls with the number of people who share it.
create or replace macro contact_score(newest_on, last_seen_on, weight, source_count, person_count, is_past) as
    100 * (
        0.35 * case when last_seen_on is null then 0 else pow(0.5, greatest(newest_on - last_seen_on, 0) / 1096.0) end
        + 0.30 * weight
        + 0.15 * least(source_count, 3) / 3
        + 0.20 / pow(person_count, 0.5)
    ) * case when is_past then 0.5 else 1 end
