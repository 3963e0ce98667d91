import { expect, test } from 'vitest'
import { stageSql } from '../../../src/cluster/spark/stage-command.ts'

test('a stage is one task for each unit, and the command is quoted for bash inside of a text of SQL', () => {
  const sql = stageSql(['/opt/it\'s "$HOME"/node', 'stage'], {
    args: ['pairs', '--run', String.raw`a\b`],
    units: 24,
  })
  expect(sql).toBe(
    String.raw`select transform(id) row format delimited fields terminated by '\t' using ` +
      String.raw`'read -r unit || exit 0; printf \'%s\\n\' "$unit" | \'/opt/it\'\\\'\'s "$HOME"/node\' \'stage\' \'pairs\' \'--run\' \'a\\b\'; ` +
      String.raw`status=$?; [ "$status" = 0 ] || echo "platbook: failed unit $unit" >&2; exit "$status"' ` +
      String.raw`as (line string) row format delimited fields terminated by '\t' from range(0, 24, 1, 24)`,
  )
})

test.each(['a\nb', 'a\0b', 'a\u009bb'])('a command with a control character is refused: %j', (word) => {
  expect(() => stageSql(['node'], { args: ['pairs', word], units: 1 })).toThrow(
    `has a control character: ${JSON.stringify(word)}`,
  )
})
