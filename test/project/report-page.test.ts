import { expect, test } from 'vitest'
import { bars, escaped, htmlPage, percent, section, table } from '../../src/report-page.ts'

test('texts of a page are escaped, in titles, notes and cells', () => {
  const page = htmlPage('a<b', [section('c<d', table(['e"f'], [['<i>&']]), 'g>h')])
  expect(page).toContain('<title>a&lt;b</title>')
  expect(page).toContain('<h2>c&lt;d</h2><p>g&gt;h</p>')
  expect(page).toContain('<th>e&quot;f</th>')
  expect(page).toContain('<td>&lt;i&gt;&amp;</td>')
  expect(escaped('Smith & Sons')).toBe('Smith &amp; Sons')
})

test('a column of numbers is aligned right, but not the labels of the rows', () => {
  const found = table(['row', 'rows', 'why'], [['12', '1,234', 'name'], ['13', '−2', 'name']]) // prettier-ignore
  expect(found).toContain('<td>12</td><td class="n">1,234</td><td>name</td>')
  expect(table(['a'], [])).toBe('<p>None.</p>')
})

test('the longest bar is full unless the caller says what full is', () => {
  const rows = [
    { label: 'one', size: 50 },
    { label: 'none', size: 0 },
  ]
  expect(bars(['', ''], rows)).toContain('width:100.00%')
  expect(bars(['', ''], rows, 200)).toContain('width:25.00%')
  expect(bars(['', ''], rows).match(/<i /g)).toHaveLength(1)
})

test('small shares keep digits that tell them from nothing', () => {
  expect([0, 0.123456, 0.0123, 0.00045, 1].map(percent)).toEqual(['0 %', '12.3 %', '1.23 %', '0.045 %', '100.0 %']) // prettier-ignore
})
