import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { findPostgres } from '../bench/commons/search/postgres/cluster.ts'
import { hasCeph } from '../engine/shared/blobs/support/ceph.ts'
import { publicData } from '../fixtures/public-data.ts'
import { PYTHON } from './peers/run-peer.ts'

// The resources outside the checkout that tests need. They are checked once, before any test file is collected.
// Missing ones are named in one line, and the tests that need it are skipped; with `REQUIRE_CLIENTS=1`, as in
// .ci/run, it is a failure.

const SHARED = publicData()

/** Large programs that only a complete run of the tests needs. */
const READERS = join(import.meta.dirname, 'readers')

/** The jar of Debian's libhtsjdk-java. */
export const HTSJDK = '/usr/share/java/htsjdk.jar'

interface Requirement {
  /** The name by which a reader would look for it or install it. */
  readonly what: string
  isThere(): Promise<boolean>
}

/** Whether a command exits with status 0. */
async function succeeds(program: string, ...words: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(program, words)
    return true
  } catch {
    return false
  }
}

const command = (name: string): Requirement => ({
  what: name,
  isThere: () => succeeds(name, '--version'),
})

const python = (packages: readonly string[]): Requirement => ({
  what: `Python with ${packages.join(', ')}`,
  isThere: () => succeeds(PYTHON, '-c', `import ${packages.join(', ')}`),
})

/** `system.file` finds a package without loading it and its dependencies. */
const rPackage = (name: string): Requirement => ({
  what: `R with ${name}`,
  isThere: () =>
    succeeds('Rscript', '-e', `quit(status = !nzchar(system.file(package="${name}")))`),
})

const REQUIREMENTS = {
  shared: {
    what: 'the public test data in the folder ../shared',
    isThere: async () =>
      ['contract', 'data', 'vectors'].every((name) => existsSync(join(SHARED, name))),
  },
  samtools: command('samtools'),
  bcftools: {
    what: 'bcftools and tabix',
    isThere: async () =>
      (await succeeds('bcftools', '--version')) && succeeds('tabix', '--version'),
  },
  postgresql: {
    what: "PostgreSQL's server",
    isThere: async () => findPostgres() !== undefined,
  },
  ceph: {
    what: "Ceph's radosgw, ceph-mon and ceph-osd",
    isThere: async () => hasCeph(),
  },
  pysam: python(['pysam']),
  htsjdk: {
    what: `htsjdk at ${HTSJDK}, and a Java that runs source files`,
    isThere: async () => existsSync(HTSJDK) && (await succeeds('javac', '--version')),
  },
  python: python(['csv', 'tarfile']),
  numpy: python(['numpy', 'pandas', 'h5py', 'scipy']),
  anndata: python(['anndata']),
  pandas: python(['pandas']),
  survival: rPackage('survival'),
  jsonlite: rPackage('jsonlite'),
  readr: rPackage('readr'),
  libreOffice: command('soffice'),
  polars: {
    what: 'polars: npm ci --prefix test/readers',
    isThere: async () => existsSync(join(READERS, 'node_modules', 'nodejs-polars')),
  },
  tcgabiolinks: rPackage('TCGAbiolinks'),
  curl: command('curl'),
  jq: command('jq'),
  md5sum: command('md5sum'),
  rscript: command('Rscript'),
  bsdtar: command('bsdtar'),
  chromium: command('chromium'),
  nginx: { what: 'nginx', isThere: () => succeeds('nginx', '-v') },
  haproxy: { what: 'haproxy', isThere: () => succeeds('haproxy', '-v') },
  kubectl: { what: 'kubectl', isThere: () => succeeds('kubectl', 'version', '--client') },
  slurm: {
    what: 'Slurm and munge',
    isThere: () =>
      succeeds(
        'sh',
        '-c',
        'PATH=$PATH:/usr/sbin && munged --version && slurmctld -V && slurmd -V && command -v sbatch',
      ),
  },
  systemd: command('systemd-analyze'),
  promtool: command('promtool'),
  namespaces: {
    what: 'the right to make network namespaces (several machines are addresses of this one)',
    isThere: () =>
      succeeds(
        'sh',
        '-c',
        'n=casemill-$$; ip link add br$$ type bridge && ip link del br$$ && ip netns add $n && ip netns delete $n',
      ),
  },
  ownNetwork: {
    what: "the right to make a network and mounts of a program's own (unshare -rnm)",
    isThere: () => succeeds('unshare', '-rnm', 'ip', 'link', 'set', 'lo', 'up'),
  },
  buildah: {
    what: 'buildah, and the right to mount',
    isThere: async () =>
      (await succeeds('buildah', '--version')) && (await succeeds('unshare', '--mount', 'true')),
  },
  gnuTar: {
    what: 'GNU tar',
    isThere: async () => succeeds('sh', '-c', 'tar --version | grep -q GNU'),
  },
  tmpfs: {
    what: 'the right to mount a tmpfs',
    isThere: () =>
      succeeds(
        'sh',
        '-c',
        'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs "$d" && umount "$d"; s=$?; rmdir "$d"; exit $s',
      ),
  },
} satisfies Readonly<Record<string, Requirement>>

/** Whether each requirement is met. */
type Available = Readonly<Record<keyof typeof REQUIREMENTS, boolean>>

declare module 'vitest' {
  export interface ProvidedContext {
    available: Available
  }
}

/** Vitest runs this before any test file. Throws if a required resource is missing. */
export async function setup(project: TestProject): Promise<void> {
  const found = await Promise.all(
    Object.entries<Requirement>(REQUIREMENTS).map(async ([name, { what, isThere }]) => {
      return { name, what, isMet: await isThere() }
    }),
  )
  const missing = found.filter(({ isMet }) => !isMet).map(({ what }) => what)
  if (missing.length > 0 && process.env.REQUIRE_CLIENTS === '1') {
    throw new Error(`missing, and required by REQUIRE_CLIENTS=1: ${missing.join('; ')}`)
  }
  for (const what of missing) process.stdout.write(`missing, so its tests are skipped: ${what}\n`)
  const available = Object.fromEntries(found.map(({ name, isMet }) => [name, isMet]))
  project.provide('available', available as Available)
}
