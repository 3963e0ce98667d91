import { defineSource } from '../../../../src/ingest/definition.ts'
import { pacsSource } from './pacs-8-0.ts'

export default defineSource(
  pacsSource({
    id: 'us/tx/bexar.pacs',
    county: 'Bexar',
    district: 'Bexar Appraisal District',
    fips: '48029',
    url: 'https://www.bcad.org/',
    archivePattern: '.*(?:bexar|bcad).*',
  }),
)
