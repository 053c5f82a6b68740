# Makes files that are odd and legal, and files that htslib refuses, in the folder that is given.
import struct, subprocess, sys, zlib

T = sys.argv[1]
END = bytes.fromhex('1f8b08040000000000ff0600424302001b0003000000000000000000')


def block(raw, before=b'', after=b''):
    c = zlib.compressobj(6, zlib.DEFLATED, -15)
    d = c.compress(raw) + c.flush()
    n = 12 + len(before) + 6 + len(after) + len(d) + 8
    x = before + b'BC\x02\x00' + struct.pack('<H', n - 1) + after
    return b'\x1f\x8b\x08\x04\0\0\0\0\0\xff' + struct.pack('<H', len(x)) + x + d + struct.pack('<II', zlib.crc32(raw), len(raw))


def pack(raw, size=60000, **k):
    return b''.join(block(raw[i:i + size], **k) for i in range(0, len(raw), size)) + END


def inflate(b):
    out = b''
    at = 0
    while at < len(b):
        n = struct.unpack('<H', b[at + 16:at + 18])[0] + 1
        out += zlib.decompress(b[at + 18:at + n - 8], -15)
        at += n
    return out


def header(refs, text=None):
    t = (('@HD\tVN:1.6\tSO:coordinate\n' + ''.join(f'@SQ\tSN:{n}\tLN:{L}\n' for n, L in refs)) if text is None else text).encode()
    return b'BAM\1' + struct.pack('<i', len(t)) + t + struct.pack('<i', len(refs)) + b''.join(
        struct.pack('<i', len(n) + 1) + n.encode() + b'\0' + struct.pack('<i', L) for n, L in refs)


def record(name=b'a\0', ref=0, pos=4, flag=0, cigar=((10, 0),), bases=10, nref=-1, npos=-1, aux=b'', lname=None):
    c = b''.join(struct.pack('<I', n << 4 | o) for n, o in cigar)
    body = struct.pack('<iiBBHHHiiii', ref, pos, len(name) if lname is None else lname, 60, 4681, len(cigar), flag, bases,
                       nref, npos, 0) + name + c + bytes([0x11] * ((bases + 1) // 2)) + b'\xff' * bases + aux
    return struct.pack('<i', len(body)) + body


def sh(c):
    return subprocess.run(c, shell=True, check=True, cwd=T)


def put(name, data):
    with open(f'{T}/{name}', 'wb') as f:
        f.write(data)


def get(name):
    with open(f'{T}/{name}', 'rb') as f:
        return f.read()


XX = b'XX\x03\x00abc'
raw = header([('chr1', 1000000)]) + b''.join(record(b'r%d\0' % i, pos=10 * i) for i in range(6000))
put('plain.bam', pack(raw))
put('before.bam', pack(raw, before=XX))
put('behind.bam', pack(raw, after=XX))
put('long.bam', pack(raw, before=b'YY' + struct.pack('<H', 300) + b'y' * 300, after=XX))

HEAD = '##fileformat=VCFv4.2\n##contig=<ID=c1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
text = HEAD + ''.join(f'c1\t{p}\t.\tA\tT\t.\t.\t.\n' for p in range(100, 5000, 50))
put('plain.vcf', text.encode())
sh('bgzip -c plain.vcf > plain.vcf.gz; tabix -p vcf plain.vcf.gz')
put('before.vcf.gz', pack(text.encode(), before=XX))
sh('cp plain.vcf.gz.tbi before.vcf.gz.tbi')

n = 60
vcf = '##fileformat=VCFv4.2\n' + ''.join(f'##contig=<ID=ctg{i},length=10000>\n' for i in range(n)) + \
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' + ''.join(f'ctg12\t{p}\t.\tA\tT\t.\t.\t.\n' for p in range(10, 2000, 10))
put('s.vcf', vcf.encode())
sh('bcftools view --no-version -Ob -o full.bcf s.vcf')
raw = inflate(get('full.bcf'))
l = struct.unpack('<I', raw[5:9])[0]
t = '\n'.join(x for x in raw[9:9 + l].rstrip(b'\0').decode().split('\n') if not x.startswith('##contig') or 'ID=ctg12,' in x)
t = t.encode() + b'\0'
put('sparse.bcf', pack(raw[:5] + struct.pack('<I', len(t)) + t + raw[9 + l:]))
put('i.vcf', b'##fileformat=VCFv4.2\n##contig=<ID=c1,IDX=40>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc1\t5\t.\tA\tT\t.\t.\t.\n')
sh('bcftools view --no-version -Ob -o idx.bcf i.vcf')


def negative(name, text, which):
    put('g.vcf', text.encode())
    sh('bcftools view --no-version -Ob -o g.bcf g.vcf')
    raw = bytearray(inflate(get('g.bcf')))
    at = 9 + struct.unpack('<I', raw[5:9])[0]
    for i in range(which + 1):
        if i == which:
            struct.pack_into('<i', raw, at + 16, -40)
        a, b = struct.unpack('<II', raw[at:at + 8])
        at += 8 + a + b
    put(name, pack(bytes(raw)))


negative('neg.bcf', text, 5)
negative('neglong.bcf', HEAD + f'c1\t100\tsome_longer_identifier\t{"ACGT" * 100}\tT\t.\t.\t.\nc1\t600\t.\tA\tT\t.\t.\t.\n', 0)

R = [('chr1', 1000), ('chr2', 1000)]
ok = record(b'ok\0', pos=8)
for name, odd in {
    'mate-behind': record(nref=2, npos=5), 'mate-below': record(nref=-2), 'no-name': record(b'', lname=0),
    'text-cut': record(aux=b'XXZabc'), 'unknown-type': record(aux=b'XXq1234'),
    'array-long': record(aux=b'XXBI' + struct.pack('<I', 1000) + b'12345678'),
    'array-cut': record(aux=b'XXBI12'), 'array-unknown': record(aux=b'XXBq' + struct.pack('<I', 1) + b'1234'),
    'number-cut': record(aux=b'XXi12'), 'second-cut': record(aux=b'NMi1234XXZab'),
}.items():
    put(f'refused-{name}.bam', pack(header(R) + odd + ok))
put('refused-duplicate.bam', pack(header([('chr1', 1000), ('chr1', 1000)], text='@HD\tVN:1.6\n') + ok))
for name, odd in {'one': record(aux=b'X'), 'two': record(aux=b'XX'), 'three': record(aux=b'XXA'), 'odd-hex': record(aux=b'XXHabc\0')}.items():
    put(f'taken-{name}.bam', pack(header(R) + odd + ok))
put('nowhere.bam', pack(header(R) + record(pos=-1) + ok + record(b'p\0', ref=-1, pos=5, flag=4) + record(b'm\0', ref=-1, pos=-1)))

rows = ''.join(f'chr1\t{p}\t.\tA\tT\t.\t.\t.\n' for p in (5, 16, 27))
titles = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'


def lines(name, text, preset=None):
    put(name, pack(text if isinstance(text, bytes) else text.encode()))
    if preset:
        subprocess.run(f'tabix {preset} {name} 2>/dev/null', shell=True, cwd=T)


lines('nofileformat.vcf.gz', titles + rows, '-p vcf')
lines('bom.vcf.gz', b'\xef\xbb\xbf##fileformat=VCFv4.2\n' + (titles + rows).encode(), '-p vcf')
lines('emptyline.vcf.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n' + titles + rows + '\n', '-p vcf')
lines('comment.gff.gz', '##gff-version 3\nchr1\ta\tgene\t5\t9\t.\t+\t.\tID=1\n###\nchr1\ta\tgene\t15\t19\t.\t+\t.\tID=2\n', '-p gff')
lines('zeros.bed.gz', 'chr1\t10\t20\tb\n' * 5000 + 'chr1\t0110\t0220\ta\n', '-p bed')
lines('float.bed.gz', 'chr1\t1\t2\tb\nchr1\t3.5\t9\ta\n', '-p bed')
lines('noindex.tsv.gz', 'chr1\t5\tz\n')
lines('called.bed.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n' + titles + rows, '-s 1 -b 2 -e 2')
