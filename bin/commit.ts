import { readFile } from 'node:fs/promises'

/** Returns the commit of the checkout. Undefined in an installed package, which has no checkout. */
export async function checkoutCommit(): Promise<string | undefined> {
  const git = new URL('../.git/', import.meta.url)
  // The commit is optional, so all failures are ignored.
  const read = (name: string) => readFile(new URL(name, git), 'utf8').catch(() => undefined)
  const head = (await read('HEAD'))?.trim()
  if (!head?.startsWith('ref: ')) return head
  const reference = head.slice('ref: '.length)
  const loose = (await read(reference))?.trim()
  if (loose) return loose
  const packed = (await read('packed-refs'))
    ?.split('\n')
    .find((line) => line.endsWith(` ${reference}`))
  return packed?.split(' ')[0]
}
