import { open } from 'node:fs/promises'

/** Writes a file that is not there yet; it is on the disk when this resolves. */
export async function writeSynced(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  await using file = await open(path, 'wx')
  const chunks = content instanceof Uint8Array ? [content] : content
  for await (const chunk of chunks) await file.writeFile(chunk)
  await file.sync()
}
