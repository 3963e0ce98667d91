-- The recorder's number of a document: document ids carry the feed before a bar.
create or replace macro document_number(document_id) as regexp_replace(document_id, '^[^|]*\|', '')
