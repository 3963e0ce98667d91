import { defineSource } from '../../../../src/ingest/definition.ts'
import { pacsSource } from './pacs-8-0.ts'

export default defineSource(
  pacsSource({
    id: 'us/tx/travis.pacs',
    county: 'Travis',
    district: 'Travis Central Appraisal District',
    fips: '48453',
    url: 'https://traviscad.org/publicinformation/',
    archivePattern: '.*(?:travis|tcad).*',
  }),
)
