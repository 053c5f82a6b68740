import { expect, test } from 'vitest'
import { escaped, popUpOf } from './pop-up.ts'

test('what files say is text, in names, values and lists', () => {
  const lines = [
    { name: 'Read Name', value: '<img src=x>"' },
    { name: 'MC', value: 7 },
    ...['<HR/>', '<ul>', '<li>chr1:1-2 <b>x</b></li>', '</ul>', '<script>'],
    { html: '<b>not known</b>' },
  ]
  expect(popUpOf(lines)).toBe(
    '<div title="&lt;img src=x&gt;&quot;"><span>Read Name</span>&nbsp;&nbsp;&nbsp;&lt;img src=x&gt;&quot;</div>' +
      '<div title="7"><span>MC</span>&nbsp;&nbsp;&nbsp;7</div>' +
      '<hr><div>chr1:1-2 &lt;b&gt;x&lt;/b&gt;</div><div>&lt;script&gt;</div>' +
      '<div title=""><span></span>&nbsp;&nbsp;&nbsp;</div>',
  )
})

test('a text can stand in an attribute of either quote', () => {
  expect(escaped(`<a b="c" d='e'>&`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;')
})
