import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'

// Serves the files of a folder with ranges, at every address of this machine, and reports each request.

const [folder = '', port] = process.argv.slice(2)

const server = createServer(({ url = '', headers }, response) => {
  process.stdout.write(`GET ${url}\n`)
  if (url !== '/a.bam') return void response.writeHead(404).end()
  const bytes = readFileSync(join(folder, basename(url)))
  const [, from = '', to = ''] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
  const [start, end] = [Number(from), Math.min(Number(to) + 1, bytes.length)]
  const range = `bytes ${start}-${end - 1}/${bytes.length}`
  response.writeHead(206, { etag: '"one"', 'content-range': range })
  response.end(bytes.subarray(start, end))
})
server.listen(Number(port), '::', () => process.stdout.write('listening\n'))
