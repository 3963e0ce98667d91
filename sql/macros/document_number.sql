-- Returns the recorder's number of a document. Ids of documents are `<source id>|<number>`.
create or replace macro document_number(document_id) as regexp_replace(document_id, '^[^|]*\|', '')
