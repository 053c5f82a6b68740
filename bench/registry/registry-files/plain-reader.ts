import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'

// node plain-reader.ts FILE: reads XML as registries' files are read, does nothing with it, and prints how
// many tumors it has.

const [path = ''] = process.argv.slice(2)
const parser = new SaxesParser()
let tumors = 0
parser.on('error', (error) => {
  throw error
})
parser.on('opentag', ({ name }) => {
  if (name === 'Tumor') tumors++
})
parser.on('text', () => {})
const texts = createReadStream(path, { highWaterMark: 64 << 10, encoding: 'utf8' })
for await (const text of texts) parser.write(text)
parser.close()
console.log(tumors)
