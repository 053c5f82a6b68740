import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type ChildServer, startNode } from '../child-server.ts'

// What an answer over HTTP is held against: files of one folder, streamed by Node with the chunk size
// that is best for it, and below /usual/ with the one that a stream has by itself, 64 KiB. As a
// program of its own it prints its address.

const CHUNK_BYTES = 1 << 20

/** Node's own way to send files, in a process of its own. */
export function startPlain(folder: string): Promise<ChildServer> {
  return startNode([import.meta.filename, folder])
}

function serve(folder: string): void {
  const server = createServer(async (request, response) => {
    try {
      const { url = '' } = request
      const path = join(folder, basename(url))
      const options = url.startsWith('/usual/') ? {} : { highWaterMark: CHUNK_BYTES }
      const { size } = await stat(path)
      response.writeHead(200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': size,
      })
      await pipeline(createReadStream(path, options), response)
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}

if (import.meta.main) serve(process.argv[2] ?? '.')
