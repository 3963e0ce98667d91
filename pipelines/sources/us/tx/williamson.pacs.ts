import { defineSource } from '../../../../src/ingest/definition.ts'
import { pacsSource } from './pacs-8-0.ts'

export default defineSource(
  pacsSource({
    id: 'us/tx/williamson.pacs',
    county: 'Williamson',
    district: 'Williamson Central Appraisal District',
    fips: '48491',
    url: 'https://www.wcad.org/',
    archivePattern: '.*(?:williamson|wcad).*',
  }),
)
