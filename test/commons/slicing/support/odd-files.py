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

# Contigs in another order than that of the header, each in one block, and one in two.
rows = [record(b'%s%d\0' % (b'abcd'[r:r + 1], i), ref=r, pos=40 * i, cigar=((60, 0),), bases=60, flag=(16 if i % 3 else 0)) for r in (2, 0, 3) for i in range(500)]
four = [(f'c{i}', 100000) for i in range(4)]
put('order.bam', pack(header(four) + b''.join(rows) + record(b'nowhere\0', ref=-1, pos=-1, flag=4, cigar=()), size=5000))
put('refused-split.bam', pack(header(four) + b''.join(rows[:1000] + rows[:1]), size=5000))
contigs = '##fileformat=VCFv4.2\n' + ''.join(f'##contig=<ID={n},length={length}>\n' for n, length in four) + titles
calls = [f'c{c}\t{1 + 40 * i}\t.\tA\tC\t.\t.\t.\n' for c in (2, 0, 3) for i in range(500)]
for name, text in {'order': contigs + ''.join(calls), 'refused-split': contigs + ''.join(calls[:1000] + calls[:1])}.items():
    put('o.vcf', text.encode())
    sh(f'bcftools view --no-version -Ob -o {name}.bcf o.vcf; bgzip -c o.vcf > {name}.vcf.gz')
sh('tabix -p vcf order.vcf.gz; cp order.vcf.gz.tbi refused-split.vcf.gz.tbi')

# Indexes of fewer and of more references than the file has.
raw = header([('chr1', 100000), ('chr2', 1000), ('chr3', 1000)]) + b''.join(record(b'r%d\0' % i, pos=10 * i) for i in range(2000))
for name in ('few', 'many'):
    put(f'{name}.bam', pack(raw))
    sh(f'samtools index {name}.bam')
    bai = get(f'{name}.bam.bai')
    refs, body, rest = (1, bai[8:-24], b'') if name == 'few' else (5, bai[8:-8], bytes(16))
    put(f'{name}.bam.bai', bai[:4] + struct.pack('<i', refs) + body + rest + bai[-8:])

# End markers in the middle, and blocks of 50 bytes, so that a record lies across several.
raw = header([('chr1', 100000)]) + b''.join(record(b'r%d\0' % i, pos=10 * i) for i in range(2000))
put('middle.bam', b''.join(block(raw[i:i + 5007]) + END for i in range(0, len(raw), 5007)) + END)
put('tiny.bam', pack(raw, size=50))
# Records behind 2^29, a file without records, and one without references.
put('far.bam', pack(header([('chr1', 2**31 - 1)]) + b''.join(record(b'r%d\0' % i, pos=p) for i, p in enumerate([5, 2**29 - 3, 2**29 + 1, 2**30, 2**31 - 20]))))
put('none.bam', pack(header([('chr1', 1000)])))
put('bare.bam', pack(header([]) + b''.join(record(b'r%d\0' % i, ref=-1, pos=-1, flag=4, cigar=()) for i in range(9))))
sh('for f in order plain middle tiny none bare; do samtools index $f.bam; done; samtools index -c far.bam')

bed = ''.join(f'chr1\t{20 * i}\t{20 * i + 15}\tn{i}\n' for i in range(300))
lines('track.bed.gz', 'track name=a\nbrowser position chr1:1-2\n' + bed, '-s 1 -b 2 -e 3 -0 -S 2')
lines('unended.bed.gz', bed[:-1], '-p bed')
three = ''.join(f'chr1\t{p}\t.\tA\tT\t.\t.\t.\n' for p in (5, 16, 27))
lines('crlf.vcf.gz', ('##fileformat=VCFv4.2\n##contig=<ID=chr1>\n' + titles + three).replace('\n', '\r\n'), '-p vcf')
lines('nocontig.vcf.gz', '##fileformat=VCFv4.2\n' + titles + ''.join(f'chr1\t{p}\t.\tA\tT\t.\t.\t.\n' for p in range(5, 900)), '-p vcf')

# Names that no NUL ends, or more than one; a stated order that is not that of the records; a header line that is none.
rows = b''.join(record(b'r%d\0' % i, pos=10 * i) for i in range(300))


def named(name, length):
    return b'BAM\1' + struct.pack('<iii', 0, 1, len(name)) + name + struct.pack('<i', length)


put('nonul.bam', pack(named(b'chr1X', 9000) + record(b'abc', pos=2) + record(b'n' * 255, pos=3) + record(b'ab\0\0', pos=4)))
put('nulinside.bam', pack(named(b'ch\0r1\0', 9000) + rows))
put('byname.bam', pack(header([('chr1', 9000)], text='@HD\tVN:1.6\tSO:queryname\n@SQ\tSN:chr1\tLN:9000\n') + rows))
put('refused-header-line.bam', pack(header([('chr1', 9000)], text='@SQ\tSN:chr1\tLN:9000\nno line\n') + rows))
put('refused-reference.bam', pack(header(R) + record(ref=7) + ok))
# A CIGAR of more operations than a record holds, as an array of signed numbers.
ops = b''.join(struct.pack('<I', 1 << 4 | (2 if i % 2 else 0)) for i in range(70001))
put('cigar.bam', pack(header([('chr1', 100000)]) + record(pos=100, cigar=((35001, 4), (70001, 3)), bases=35001,
                                                          aux=b'CGBi' + struct.pack('<I', 70001) + ops)))
sh('for f in nonul nulinside byname cigar; do samtools index $f.bam; done')


# Indexes of which each chunk is changed: of references in another order, and of places where no block or line begins.
def changed(index, at, references, change):
    parts = []
    for r in range(references):
        begin = at
        bins = struct.unpack('<i', index[at:at + 4])[0]
        at += 4
        for _ in range(bins):
            number, chunks = struct.unpack('<Ii', index[at:at + 8])
            at += 8
            for c in range(chunks):
                first, last = struct.unpack('<QQ', index[at:at + 16])
                if number != 37450:
                    index = index[:at] + struct.pack('<QQ', *change(r, first, last)) + index[at + 16:]
                at += 16
        at += 4 + 8 * struct.unpack('<i', index[at:at + 4])[0]
        parts.append((begin, at))
    return index, parts


two = header([('chr1', 100000), ('chr2', 100000)]) + b''.join(record(b'%d\0' % i, ref=r, pos=10 * i) for r in range(2) for i in range(4000 + r))
for name in ('swapped', 'shifted'):
    put(f'{name}.bam', pack(two))
    sh(f'samtools index {name}.bam')
    bai, ((a, b), (c, d)) = changed(get(f'{name}.bam.bai'), 8, 2, lambda r, first, last: (first + (7 << 16) if name == 'shifted' and r == 0 else first, last))
    put(f'{name}.bam.bai', bai[:a] + bai[c:d] + bai[a:b] + bai[d:] if name == 'swapped' else bai)
put('shifted.vcf.gz', pack(get('plain.vcf')))
sh('tabix -p vcf shifted.vcf.gz')
tbi = inflate(get('shifted.vcf.gz.tbi'))
put('shifted.vcf.gz.tbi', pack(changed(tbi, 36 + struct.unpack('<i', tbi[32:36])[0], 1, lambda r, first, last: (first + 3, last))[0]))

# Positions above those of a BAI or TBI, without an index.
F = 2 ** 29 + 5
lines('far.bed.gz', bed + f'chr1\t{F}\t{F + 9}\tz\n')
lines('far.gff.gz', f'chr1\ta\tgene\t20\t30\t.\t+\t.\tx\nchr1\ta\tgene\t{F}\t{F + 9}\t.\t+\t.\tx\n')
lines('far.vcf.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n##INFO=<ID=END,Number=1,Type=Integer,Description="">\n' + titles + f'chr1\t5\t.\tA\t<DEL>\t.\t.\tEND={F}\n')
# Ends above those that bcftools reads, and above those that tabix indexes.
for name, end in {'extreme': 3 * 10 ** 9, 'beyond': 5 * 10 ** 9}.items():
    lines(f'{name}.vcf.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n##INFO=<ID=END,Number=1,Type=Integer,Description="">\n' + titles + f'chr1\t5\t.\tA\t<DEL>\t.\t.\tEND={end}\n')
lines('beyond.bed.gz', bed + f'chr1\t9000\t{5 * 10 ** 9}\tz\n')
put('farther.bam', get('far.bam'))
for name in ('plain.bam', 'plain.vcf.gz', 'neg.bcf'):
    put('unmarked' + name[name.index('.'):], get(name)[:-28])
sh('cp plain.vcf.gz.tbi unmarked.vcf.gz.tbi')

# Indexes that do not say what the lines are: cut, empty, and of BAM.
for name, index in {'cut': get('plain.vcf.gz.tbi')[:40], 'empty': b'', 'bai': get('plain.bam.bai')}.items():
    lines(f'index-{name}.vcf.gz', get('plain.vcf').replace(b'c1', b'chr1'))
    put(f'index-{name}.vcf.gz.tbi', index)
lines('untitled.vcf.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n' + three, '-p vcf')
lines('unsorted.vcf.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n' + titles + three + three)
# END more than once, as a list, with a sign, as no number, and with a leading zero.
lines('ends.vcf.gz', '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n##INFO=<ID=END,Number=1,Type=Integer,Description="">\n' + titles + ''.join(
    f'chr1\t100\t{end}\tA\t<DEL>\t.\t.\t{end}\n' for end in ('END=400;END=200', 'END=200;END=400', 'END=400,500', 'DP=1,2;END=400;X', 'END=400;END=5', 'END=+400', 'END=400;END=.', 'END=.', 'END=0400')), '-p vcf')
put('old.bcf', pack(b'BCF\2\1' + inflate(get('full.bcf'))[5:]))
sh('(cat plain.vcf; grep -v "^#" plain.vcf | sed s/^c1/c2/) | sed "s/##contig=<ID=c1>/&\\n##contig=<ID=c2>/" | bgzip > lacking.vcf.gz; cp plain.vcf.gz.tbi lacking.vcf.gz.tbi')
# Files of no lines, with an empty line before the titles, with lines for browsers, and with sequences.
lines('empty.bed.gz', '', '-p bed')
plain = '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n'
lines('emptyhead.vcf.gz', plain + '\n' + titles + three, '-p vcf')
lines('browser.bed.gz', 'browser position chr1:1-9\ntrack name=a\n' + bed, '-p bed')
lines('fasta.gff.gz', 'chr1\ta\tgene\t5\t9\t.\t+\t.\tID=1\n##FASTA\n>chr1\nACGT\n', '-p gff')
# Lines of a BED file without an end, which are of one base.
lines('two.bed.gz', 'chr1\t10\nchr1\t20\nchr1\t20\t25\n', '-p bed')

# More references than are read, and as many as are, of which none follows.
for name, count in {'many': 5_000_001, 'cut': 5_000_000}.items():
    put(f'references-{name}.bam', pack(b'BAM\1' + struct.pack('<ii', 0, count)))

# Titles and records that bcftools refuses.
samples = titles.replace('INFO', 'INFO\tFORMAT\ta\ta')
lines('refused-titles.vcf.gz', plain + titles.replace('\tINFO', '') + three, '-p vcf')
lines('refused-spaces.vcf.gz', plain + titles.replace('\t', ' ') + three, '-p vcf')
lines('refused-hash.vcf.gz', plain + '#odd\n' + titles + three, '-p vcf')
lines('refused-samples.vcf.gz', plain + samples + three.replace('\n', '\tGT\t0\t0\n'), '-p vcf')
# Lines with fewer samples than the header, and one with more beside one whose FORMAT is missing.
two = '##FORMAT=<ID=GT,Number=1,Type=String,Description="">\n' + titles.replace('INFO', 'INFO\tFORMAT\ta\tb') + 'chr1\t9\t.\tA\tT\t.\t.\t.\tGT\t0\t1\n'
for name, end in {'one': '\tGT\t0', 'tab': '\tGT\t0\t', 'return': '\tGT\t0\t\r', 'none': '\tGT', 'emptyformat': '\t', 'noformat': '', 'missing': '\t.'}.items():
    lines(f'fewer-{name}.vcf.gz', plain + two + f'chr1\t12\t.\tA\tT\t.\t.\t.{end}\n' + f'chr1\t15\t.\t.\t.\t.\t.\t.\tGT\t0\t1\n', '-p vcf')
lines('samples.vcf.gz', plain + two + 'chr1\t12\t.\tA\tT\t.\t.\t.\tGT\t0\t1\t1\nchr1\t15\t.\tA\tT\t.\t.\t.\t.\t0\nchr1\t16\t.\tA\tT\t.\t.\t.\tGT\t0\t1\r\n', '-p vcf')
HELD = '##fileformat=VCFv4.2\n##contig=<ID=c0,IDX=0>\n##contig=<ID=c2,IDX=2>\n##FILTER=<ID=f,Description="">\n##INFO=<ID=DP,Number=1,Type=Integer,Description="an IDX=1, and 2">\n##INFO=<ID=S,Number=.,Type=String,Description="">\n##FORMAT=<ID=GT,Number=1,Type=String,Description="">\n'
put('held.vcf', (HELD + titles.replace('INFO', 'INFO\tFORMAT\ta\tb') + ''.join(f'c0\t{p}\tid{p}\tA\tT,{"C" * p}\t.\tf\tDP={p};S={"s" * p}\tGT\t0/1\t1/1\n' for p in (7, 300))).encode())
sh('bcftools view --no-version -Ob -o held.bcf held.vcf; bcftools index held.bcf')
raw = inflate(get('held.bcf'))
at = 9 + struct.unpack('<I', raw[5:9])[0]


def changed_at(place, layout, value):
    return raw[:at + place] + struct.pack(layout, value) + raw[at + place + struct.calcsize(layout):]


put('refused-crlf.bcf', pack(raw[:5] + (lambda t: struct.pack('<I', len(t)) + t)(raw[9:at].replace(b'\n', b'\r\n').replace(b'\ta\tb', b'').replace(b'\tFORMAT', b'')) + raw[at:]))
put('refused-twice.bcf', pack(raw.replace(b'IDX=2>\n##FILTER=<ID=f', b'IDX=0>\n##FILTER=<ID=f')))
for name, change in {'ref': (26, '<H', 0), 'alleles': (26, '<H', 9), 'infos': (24, '<H', 9), 'samples': (28, '<I', 1 << 24 | 3), 'hole': (8, '<i', 1), 'below': (8, '<i', -1),
                     'formats': (31, '<B', 3), 'id': (32, '<B', 0x31)}.items():
    put(f'refused-{name}.bcf', pack(changed_at(*change)))
put('refused-filter.bcf', pack(raw[:at] + raw[at:].replace(b'\x11\x01\x11\x02', b'\x11\x7f\x11\x02', 1)))

# CRAM: two versions, one profile, containers of several references, and no record at all.
sam = '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:100000\n@SQ\tSN:chr2\tLN:100000\n'
put('none.sam', sam.encode())
put('c.sam', (sam + ''.join(f'{c}{i}\t0\tchr{c}\t{100 + 17 * i}\t60\t10M\t*\t0\t0\tACGTACGTAC\tIIIIIIIIII\n' for c in (1, 2) for i in range(600))
            + ''.join(f'u{i}\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n' for i in range(9))).encode())
for name, source, options in (('plain', 'c', 'version=3.0,seqs_per_slice=50'), ('newer', 'c', 'version=3.1'), ('small', 'c', 'version=3.1,small'),
                              ('several', 'c', 'multi_seq_per_slice=1,seqs_per_slice=70,slices_per_container=3'), ('norecords', 'none', 'version=3.0')):
    sh(f'samtools view --no-PG -O cram,no_ref,{options} -o {name}.cram {source}.sam 2>/dev/null && samtools index {name}.cram')
