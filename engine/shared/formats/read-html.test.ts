import { expect, test } from 'vitest'
import { FormatError } from './format-error.ts'
import { plainText, readHtml } from './read-html.ts'

test('texts and elements in their order; what is in a div stays as it is', () => {
  const html = `<br/>one<strong class="a b">t&amp;wo</strong>: 3
<div class='x'><p>a &lt; <b>b</b><br>c</p><div>in</div></div>`
  expect(readHtml(html)).toEqual([
    { name: 'br', attributes: {}, children: [] },
    'one',
    { name: 'strong', attributes: { class: 'a b' }, children: ['t&wo'] },
    ': 3\n',
    {
      name: 'div',
      attributes: { class: 'x' },
      children: ['<p>a &lt; <b>b</b><br>c</p><div>in</div>'],
    },
  ])
})

test('plain text is one line without tags, references read', () => {
  expect(plainText(readHtml('&nbsp;a<b>b</b>\n <br/>&#233;<i> c&gt;</i>&nbsp;'))).toBe('ab é c>')
})

test.each([
  '<!DOCTYPE a [<!ENTITY b "c">]>&b;',
  '<!-- a -->',
  `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
  '<__proto__>x</__proto__>',
])('%j is refused', (html) => {
  expect(() => readHtml(html)).toThrow(FormatError)
})
