import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { idsOf, type Layout, type SetName } from './layout.ts'

/** What the members of an archive are called that are no stored files. */
const MANIFEST = 'MANIFEST.txt'

type Way = 'files' | 'tar' | 'tar.gz'

/**
 * MD5 of all bytes of a set as the service hands them out, in the order of the set.
 * @throws Error on any status but 200, and when files are missing
 */
export async function servedDigest(
  address: string,
  layout: Layout,
  set: SetName,
  way: Way,
): Promise<string> {
  const ids = idsOf(set, layout)
  const all = createHash('md5')
  if (way === 'files') {
    for (const id of ids) {
      for await (const chunk of bodyOf(await fetch(`${address}/data/${id}`))) all.update(chunk)
    }
    return all.digest('hex')
  }
  const answer = await fetch(`${address}/data${way === 'tar' ? '?tarfile' : ''}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids }),
  })
  const reader = extract()
  const names: string[] = []
  reader.on('entry', ({ name }, stream, next) => {
    if (name !== MANIFEST) {
      names.push(name)
      stream.on('data', (chunk) => all.update(chunk as Buffer))
    }
    stream.on('end', next).resume()
  })
  const done = once(reader, 'finish')
  const archive = bodyOf(answer)
  if (way === 'tar') await pipeline(archive, reader)
  else await pipeline(archive, createGunzip(), reader)
  await done
  if (names.length !== ids.length) throw new Error(`${names.length} of ${ids.length} files`)
  return all.digest('hex')
}

function bodyOf({ status, body }: Response): Readable {
  if (status !== 200 || !body) throw new Error(`status ${status}`)
  return Readable.fromWeb(body)
}
