import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const CONTAINERFILE = join(import.meta.dirname, '../../docs/container/Containerfile')
const BASE = join(import.meta.dirname, 'make-root.sh')

/** The settings of an image for running it. */
interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export interface Image {
  readonly config: ImageConfig
  /** The folder with its files, which nothing else uses. */
  readonly root: string
}

/**
 * Builds the documented image with buildah, on a base made of this machine's Node. Needs root.
 * @param folder where all of it is kept
 * @param tarball the packed package
 */
export async function buildImage(folder: string, tarball: string): Promise<Image> {
  const storage = ['--storage-driver', 'vfs', '--root', join(folder, 'storage')]
  const buildah = async (command: string, ...words: string[]) => {
    const all = [...storage, '--runroot', join(folder, 'run'), command, ...words]
    return (await promisify(execFile)('buildah', all, { maxBuffer: 16 << 20 })).stdout.trim()
  }
  // A machine may have its own policy, or none.
  const policy = join(folder, 'policy.json')
  const build = (tag: string, file: string, context: string, ...words: string[]) =>
    buildah(
      'bud',
      '--signature-policy',
      policy,
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '-t',
      tag,
      '-f',
      file,
      ...words,
      context,
    )

  const base = join(folder, 'base')
  await mkdir(base, { recursive: true })
  await writeFile(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }))
  await promisify(execFile)(BASE, [process.execPath, join(base, 'root')])
  await writeFile(join(base, 'Containerfile'), 'FROM scratch\nCOPY root /\n')
  await build('base', join(base, 'Containerfile'), base)

  const context = join(folder, 'image')
  await mkdir(context)
  await promisify(execFile)('cp', [tarball, join(context, 'casemill.tgz')])
  await build('casemill', CONTAINERFILE, context, '--build-arg', 'NODE=localhost/base')

  const described: { readonly Docker: { readonly config: ImageConfig } } = JSON.parse(
    await buildah('inspect', '--type', 'image', 'casemill'),
  )
  const container = await buildah('from', '--signature-policy', policy, '--pull-never', 'casemill')
  return { config: described.Docker.config, root: await buildah('mount', container) }
}

/**
 * Returns the command that runs an image's program as a container engine would with `--read-only --tmpfs /tmp`:
 * as its user, with a read-only root and a folder mounted as the volume.
 */
export function inContainer(
  { root, config }: Image,
  volume: string,
  program: readonly string[],
): readonly string[] {
  const script = `
    set -e
    mount --bind "$1" "$1"
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
    mount --bind "$2" "$1/var/lib/casemill"
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    mount -o remount,bind,ro "$1"
    root=$1 user=$3
    shift 3
    exec chroot --userspec="$user" "$root" /bin/env -i "$@"`
  const environment = [...config.Env, 'HOME=/tmp']
  const words = ['-c', script, 'sh', root, volume, config.User, ...environment, ...program]
  return ['unshare', '--mount', 'sh', ...words]
}
