-- Returns a text with capitals at the beginning of words: 'CORRECT INDEX/DEED-OFFICE USE' gives 'Correct Index/Deed-
-- Office Use'.
create or replace macro title_cased(text) as
    array_to_string(
        list_transform(
            regexp_extract_all(lower(text), '[a-z0-9'']+|[^a-z0-9'']+'),
            lambda word: upper(word[1]) || word[2:]
        ),
        ''
    )
