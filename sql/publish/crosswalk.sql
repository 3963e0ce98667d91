-- A person in a source record, with the person id.
-- grain: mention_key
-- in: link.person_mentions, normal.person_mentions
-- by: mention_key
select
    mentions.mention_key,
    mentions.record_key,
    assigned.person_id,
    mentions.source_id,
    mentions.file_id,
    mentions.line_number,
    case when mentions.is_past then 'past_' || mentions.mention_kind else mentions.mention_kind end as mention_kind,
from normal.person_mentions as mentions
inner join link.person_mentions as assigned using (mention_key)
