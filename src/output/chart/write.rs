//! A manifest as a template of Helm. What is literal is printed as it is, whatever braces it has.

use serde_json::Value;

use crate::error::Result;
use crate::yaml;

use super::node::{Child, NAMESPACE, Node, PREFIX, has_mark};
use super::when::When;

/// Writes manifests.
pub(super) struct Writer<'a> {
    text: String,
    /// What the names of the chart's own templates start with.
    chart: &'a str,
    /// `$` where the dot is something else than the root.
    scope: &'static str,
}

impl<'a> Writer<'a> {
    pub(super) fn new(chart: &'a str) -> Self {
        Self {
            text: String::new(),
            chart,
            scope: "",
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Writes a line with an action alone.
    pub(super) fn action(&mut self, action: &str) {
        self.text.push_str("{{- ");
        self.text.push_str(action);
        self.text.push_str(" }}\n");
    }

    /// Writes a line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes what `write` does, once for each namespace that the operator watches.
    pub(super) fn for_each_namespace(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.action("range .Values.watchNamespaces");
        let scope = std::mem::replace(&mut self.scope, "$");
        write(self)?;
        self.scope = scope;
        self.action("end");
        Ok(())
    }

    /// Writes a manifest.
    pub(super) fn object(&mut self, object: &Node) -> Result<()> {
        self.value(object, 0)
    }

    /// Writes what `write` does, if a condition holds.
    pub(super) fn on(
        &mut self,
        when: &When,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if when.is_always() {
            return write(self);
        }
        self.action(&format!("if {}", when.expression(self.scope)));
        write(self)?;
        self.action("end");
        Ok(())
    }

    /// Writes a mapping or a list, in lines of its own.
    fn value(&mut self, node: &Node, indent: usize) -> Result<()> {
        match node {
            Node::Map(children) => self.children(children, |writer, child| {
                writer.entry(&child.key, &child.node, indent)
            }),
            Node::List(children) => {
                self.children(children, |writer, child| writer.item(&child.node, indent))
            }
            Node::Literal(value) => self.literal(value, indent),
            Node::Lines(action) => {
                self.action(&format!("{action} | nindent {indent}"));
                Ok(())
            }
            Node::Action(_) | Node::Value(_) | Node::Members(_) => Ok(()),
        }
    }

    /// Writes members, those behind each other that have one condition in one block.
    fn children(
        &mut self,
        children: &[Child],
        write: impl Fn(&mut Self, &Child) -> Result<()>,
    ) -> Result<()> {
        for block in children.chunk_by(|left, right| left.when == right.when) {
            self.on(&block[0].when, |writer| {
                block.iter().try_for_each(|child| write(writer, child))
            })?;
        }
        Ok(())
    }

    fn entry(&mut self, key: &str, node: &Node, indent: usize) -> Result<()> {
        if let Node::Lines(_) = node
            && key.is_empty()
        {
            return self.value(node, indent);
        }
        let start = format!("{:indent$}{}:", "", escape(&scalar(&key.into())?));
        if let Some(value) = self.inline(node)? {
            self.line(&format!("{start} {value}"));
            return Ok(());
        }
        if let Node::Value(value) = node {
            let (scope, below) = (self.scope, indent + 2);
            self.action(&format!("with {scope}.Values.{value}"));
            self.line(&start);
            self.line(&format!(
                "{:below$}{{{{- toYaml . | nindent {below} }}}}",
                ""
            ));
            self.action("end");
            return Ok(());
        }
        let below = match node {
            Node::List(_) | Node::Literal(Value::Array(_)) => indent,
            _ => indent + 2,
        };
        // Without any member there is no key: `key:` alone would be null.
        let guard = self.guard(node);
        if let Some(guard) = &guard {
            self.action(&format!("if {guard}"));
        }
        self.line(&start);
        self.value(node, below)?;
        if guard.is_some() {
            self.action("end");
        }
        Ok(())
    }

    fn item(&mut self, node: &Node, indent: usize) -> Result<()> {
        if let Some(value) = self.inline(node)? {
            self.line(&format!("{:indent$}- {value}", ""));
            return Ok(());
        }
        if let Node::Members(value) = node {
            let scope = self.scope;
            self.action(&format!("with {scope}.Values.{value}"));
            self.action(&format!("toYaml . | nindent {indent}"));
            self.action("end");
            return Ok(());
        }
        let start = self.text.len();
        self.value(node, indent + 2)?;
        // The dash takes the place of two blanks, unless the first member has a condition.
        let first = &self.text[start..];
        let dash = format!("{:indent$}- ", "");
        if first.starts_with(&" ".repeat(indent + 2)) {
            self.text.replace_range(start..start + indent + 2, &dash);
        } else {
            self.text
                .insert_str(start, &format!("{}\n", dash.trim_end()));
        }
        Ok(())
    }

    /// The condition for a mapping or a list to have any member, if that is not certain.
    fn guard(&self, node: &Node) -> Option<String> {
        let (Node::Map(children) | Node::List(children)) = node else {
            return None;
        };
        let conditions: Vec<When> = children
            .iter()
            .map(|child| match &child.node {
                Node::Members(value) | Node::Value(value) => {
                    child.when.clone().and(&When::on(value))
                }
                _ => child.when.clone(),
            })
            .collect();
        When::any(conditions.iter(), self.scope)
    }

    /// A value that fits behind its key.
    fn inline(&self, node: &Node) -> Result<Option<String>> {
        Ok(match node {
            Node::Action(action) => Some(format!("{{{{ {action} }}}}")),
            Node::Literal(value) if has_mark(value) => value.as_str().map(|text| self.marked(text)),
            Node::Literal(value) if is_flow(value) => Some(escape(&scalar(value)?)),
            Node::Map(children) | Node::List(children) if children.is_empty() => Some(
                if matches!(node, Node::Map(_)) {
                    "{}"
                } else {
                    "[]"
                }
                .to_owned(),
            ),
            _ => None,
        })
    }

    /// A text with the prefix of names or with the namespace.
    fn marked(&self, text: &str) -> String {
        if text.chars().eq([NAMESPACE]) {
            return "{{ $.Release.Namespace | quote }}".to_owned();
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-./_".contains(c);
        let is_plain = text
            .chars()
            .all(|c| is_plain(c) || [PREFIX, NAMESPACE].contains(&c))
            && text.contains(|c: char| c.is_ascii_alphabetic());
        let mut written = String::new();
        let mut rest = text;
        while let Some(at) = rest.find([PREFIX, NAMESPACE]) {
            let (before, behind) = rest.split_at(at);
            written.push_str(&quoted(before, is_plain));
            let mut behind = behind.chars();
            if behind.next() == Some(NAMESPACE) {
                written.push_str("{{ $.Release.Namespace }}");
                rest = behind.as_str();
            } else {
                let suffix = behind.as_str();
                let end = suffix.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
                let (name, after) = suffix.split_at(end.unwrap_or(suffix.len()));
                written.extend(["{{ ", &name_of(self.chart, name), " }}"]);
                rest = after;
            }
        }
        written.push_str(&quoted(rest, is_plain));
        if is_plain {
            written
        } else {
            format!("\"{written}\"")
        }
    }

    fn literal(&mut self, value: &Value, indent: usize) -> Result<()> {
        let text = yaml::to_string(value)?;
        // An action behind it takes away the white space between them.
        if text.trim_end().len() + 1 < text.len() {
            let mut node = Node::Literal(value.clone());
            match value {
                Value::Object(_) => drop(node.fields()),
                _ => drop(node.items()),
            }
            return self.value(&node, indent);
        }
        for line in text.lines() {
            if !line.is_empty() {
                self.text.extend([&*" ".repeat(indent), &*escape(line)]);
            }
            self.text.push('\n');
        }
        Ok(())
    }
}

/// The name of an object of the chart.
pub(super) fn name_of(chart: &str, suffix: &str) -> String {
    format!("include \"{chart}.resourceName\" (list $ {})", go(suffix))
}

/// A text as Go writes it in a template.
pub(super) fn go(text: &str) -> String {
    Value::from(text).to_string()
}

/// Whether a literal stands behind its key.
fn is_flow(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

/// A scalar, an empty list or an empty mapping in one line.
fn scalar(value: &Value) -> Result<String> {
    let text = yaml::to_string(value)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(if text.contains('\n') || text.ends_with(' ') {
        value.to_string()
    } else {
        text.to_owned()
    })
}

/// A part of a text, in double quotes unless it is plain.
fn quoted(text: &str, is_plain: bool) -> String {
    if is_plain {
        return escape(text);
    }
    let quoted = Value::from(text).to_string();
    escape(&quoted[1..quoted.len() - 1])
}

/// Makes Helm print a text as it is: braces that begin an action, also with the one that may follow.
fn escape(text: &str) -> String {
    if !text.contains("{{") && !text.ends_with('{') {
        return text.to_owned();
    }
    let text = text.replace("{{", "\u{0}");
    let text = match text.strip_suffix('{') {
        Some(rest) => format!("{rest}{{{{ \"{{\" }}}}"),
        None => text,
    };
    text.replace('\u{0}', "{{ \"{{\" }}")
}
