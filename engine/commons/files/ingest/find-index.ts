import { stat } from 'node:fs/promises'

/** The index that lies beside a BAM file under a usual name. */
export async function findIndex(path: string): Promise<string | undefined> {
  const stem = path.replace(/\.bam$/i, '')
  for (const candidate of [`${path}.bai`, `${stem}.bai`, `${path}.csi`, `${stem}.csi`]) {
    const stats = await stat(candidate).catch(() => undefined)
    if (stats?.isFile()) return candidate
  }
  return undefined
}
