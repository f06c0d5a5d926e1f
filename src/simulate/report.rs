//! The events of a seed as a page for a browser, which needs no network.

use super::EventLog;
use crate::error::{Code, Context, Result};
use serde_json::json;

/// The page, with a place for the data.
const PAGE: &str = include_str!("report.html");

/// The page with the events. `command` repeats the seed.
///
/// # Errors
/// The events cannot be written as JSON.
pub(crate) fn page(log: &EventLog, command: &str) -> Result<String> {
    let failed = || "failed to write the report";
    let mut data = serde_json::to_value(log).context(Code::GenerationFailed, failed)?;
    data["command"] = json!(command);
    // Names and messages are others', and may not end the element that the data is in.
    let data = data.to_string().replace('<', "\\u003c");
    Ok(PAGE.replacen(">DATA<", &format!(">{data}<"), 1))
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::simulate::EventLog;

    #[test]
    fn data_stays_data() {
        let text = "</script><script>alert(1)</script><!--";
        let line = serde_json::json!({ "history": {
            "plan": text, "invariant": text, "about": text, "story": [text],
            "events": [[1, text, text, text, text]],
        } });
        let log = EventLog::read(&line.to_string()).expect("a log");
        let page = page(&log, text).expect("a page");
        let (_, data) = page
            .split_once("type=\"application/json\">")
            .expect("the data");
        let (data, _) = data.split_once("</script>").expect("an end");
        let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(data["events"][0][4], text);
        assert_eq!(data["command"], text);
    }
}
