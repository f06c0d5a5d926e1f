//! Metrics of this process, read from `/proc`, so only on Linux.

use std::{fmt, fs};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// The unit of time in `/proc`, on every architecture that Rust has Linux for.
const TICKS_PER_SECOND: f64 = 100.0;

/// The files in `/proc` of this process, read at each scrape.
#[derive(Debug)]
pub(super) struct Process {
    start_seconds: Option<f64>,
}

impl Process {
    pub(super) fn new() -> Self {
        let start_seconds = fs::read_to_string("/proc/stat")
            .ok()
            .zip(read("stat"))
            .and_then(|(system, process)| {
                let boot = field(&system, "btime")?;
                Some(boot + ticks(&process, 22)? / TICKS_PER_SECOND)
            });
        Self { start_seconds }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        if let Some(seconds) = read("stat").as_deref().and_then(cpu_seconds) {
            let help = "Total user and system CPU time in seconds";
            let counter = MetricType::Counter;
            let metric = encoder.encode_descriptor("process_cpu_seconds", help, None, counter)?;
            ConstCounter::new(seconds).encode(metric)?;
        }
        let status = read("status").unwrap_or_default();
        let kilobytes = |name| field(&status, name).map(|value| value * 1024.0);
        let limits = read("limits").unwrap_or_default();
        for (name, help, value) in [
            (
                "process_resident_memory_bytes",
                "Resident memory size in bytes",
                kilobytes("VmRSS:"),
            ),
            (
                "process_virtual_memory_bytes",
                "Virtual memory size in bytes",
                kilobytes("VmSize:"),
            ),
            (
                "process_open_fds",
                "Number of open file descriptors",
                open_files(),
            ),
            (
                "process_max_fds",
                "Maximum number of open file descriptors",
                field(&limits, "Max open files"),
            ),
            (
                "process_start_time_seconds",
                "Start time of the process since the Unix epoch in seconds",
                self.start_seconds,
            ),
        ] {
            let Some(value) = value else { continue };
            let gauge = MetricType::Gauge;
            let metric = encoder.encode_descriptor(name, help, None, gauge)?;
            ConstGauge::new(value).encode(metric)?;
        }
        Ok(())
    }
}

fn read(name: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/self/{name}")).ok()
}

/// User and system time.
fn cpu_seconds(stat: &str) -> Option<f64> {
    Some((ticks(stat, 14)? + ticks(stat, 15)?) / TICKS_PER_SECOND)
}

/// A field of `/proc/self/stat`, by its number in proc(5). The second is the name of the program in
/// brackets, which can contain anything.
fn ticks(stat: &str, number: usize) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(number - 3)?.parse().ok()
}

/// The number that follows a name at the start of a line.
fn field(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[expect(clippy::cast_precision_loss, reason = "no process has so many files")]
fn open_files() -> Option<f64> {
    // One of them is the folder that is being read.
    let count = fs::read_dir("/proc/self/fd").ok()?.count();
    Some(count.saturating_sub(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::{cpu_seconds, field, ticks};

    #[test]
    fn a_program_may_be_called_anything() {
        let stat = "7 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15 16 17 18 9000";
        assert_eq!(cpu_seconds(stat), Some(2.0));
        assert_eq!(ticks(stat, 22), Some(9000.0));
        assert_eq!(cpu_seconds("nonsense"), None);
    }

    #[test]
    fn fields_are_found_by_name() {
        let text = "VmPeak:\t 9 kB\nVmRSS:\t  2048 kB\nMax open files   1024   4096   files\n";
        assert_eq!(field(text, "VmRSS:"), Some(2048.0));
        assert_eq!(field(text, "Max open files"), Some(1024.0));
        assert_eq!(field(text, "VmSize:"), None);
        assert_eq!(field("Max open files   unlimited", "Max open files"), None);
    }
}
