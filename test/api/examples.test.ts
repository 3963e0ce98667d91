import { expect, test } from 'vitest'
import { makeExamples } from './examples.ts'

// `npm run openapi` writes the file.
test('the committed examples are what the service answers', async () => {
  const examples = await makeExamples()
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot('../../src/api/examples.json')
}, 60_000)
