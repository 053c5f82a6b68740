import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.HtsgetBAMFileReader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SamReader;
import htsjdk.samtools.SamReaderFactory;
import htsjdk.samtools.ValidationStringency;
import htsjdk.samtools.util.CloseableIterator;
import java.io.File;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Reads of tickets compared with those of the file: the address, the file, and regions (1-based). */
public class ReadTickets {
  public static void main(String[] words) throws Exception {
    SamReader file =
        SamReaderFactory.makeDefault()
            .validationStringency(ValidationStringency.SILENT)
            .open(new File(words[1]));
    HtsgetBAMFileReader tickets = new HtsgetBAMFileReader(
        URI.create(words[0]), true, ValidationStringency.SILENT,
        DefaultSAMRecordFactory.getInstance(), false);
    for (int i = 2; i < words.length; i++) {
      String[] parts = words[i].split("[:-]");
      int start = Integer.parseInt(parts[1]);
      int end = Integer.parseInt(parts[2]);
      List<String> wanted = new ArrayList<>();
      // The client leaves out reads that are unmapped and have the place of their mates.
      for (String read : texts(file.query(parts[0], start, end, false), true)) wanted.add(read);
      compare(words[i], wanted, texts(tickets.query(parts[0], start, end, false), true));
    }
    compare("all", texts(file.iterator(), false), texts(tickets.getIterator(), false));
    compare("unmapped", texts(file.queryUnmapped(), false), texts(tickets.queryUnmapped(), false));
  }

  private static List<String> texts(CloseableIterator<SAMRecord> reads, boolean isMapped) {
    List<String> found = new ArrayList<>();
    while (reads.hasNext()) {
      SAMRecord read = reads.next();
      if (!isMapped || !read.getReadUnmappedFlag()) found.add(read.getSAMString());
    }
    reads.close();
    return found;
  }

  private static void compare(String what, List<String> wanted, List<String> found) {
    System.out.println((wanted.equals(found) ? "same " : "other ") + what + " " + wanted.size());
  }
}
