//! Types of documents: structures that `serde` writes and reads, which know what they look like.
//!
//! From that the JSON Schema is made, and what is read is compared with it first, so that the message names the field that is
//! wrong. Who uses [`document!`](crate::document!) needs `serde`; nothing here does.

/// What a value looks like.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// A text.
    Text,
    /// One of these texts.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Truth,
    /// A whole number from 0 on, up to the given one.
    Count(u64),
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A list of such values.
    List(Box<Shape>),
    /// A list of two such values.
    Pair(Box<Shape>),
    /// An object with any fields, all of such values.
    Table(Box<Shape>),
    /// One of several kinds of values.
    Either(Vec<Shape>),
    /// Such a value, or `null`.
    OrNull(Box<Shape>),
    /// A number, a text or a list of messages: what a variable or a channel holds.
    Content,
    /// An object with certain fields.
    Object(fn() -> ObjectShape),
}

/// What an object looks like.
#[derive(Clone, Debug)]
pub struct ObjectShape {
    /// The name of the type.
    pub name: &'static str,
    /// What it is.
    pub about: String,
    /// The fields, in the order in which they are written.
    pub fields: Vec<FieldShape>,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub struct FieldShape {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub about: String,
    /// When it is there.
    pub presence: Presence,
    /// What its value looks like.
    pub shape: Shape,
}

impl FieldShape {
    /// A field of this name.
    pub fn new(name: &'static str, about: &str, presence: Presence, shape: Shape) -> Self {
        Self { name, about: about.to_owned(), presence, shape }
    }
}

/// When a field is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It is written always, and nothing can be read without it.
    Required,
    /// It is written always, and may be missing where it is read.
    Always,
    /// Where there is something to say.
    Optional,
}

/// What is written to documents and read from them.
pub trait Described {
    /// What it looks like.
    fn shape() -> Shape;
    /// Its fields, if it is an object.
    fn fields() -> Vec<FieldShape> {
        match Self::shape() {
            Shape::Object(object) => object().fields,
            _ => Vec::new(),
        }
    }
}

macro_rules! described {
    ($($ty:ty => $shape:expr),* $(,)?) => {$(
        impl Described for $ty {
            fn shape() -> Shape {
                $shape
            }
        }
    )*};
}
described! {
    String => Shape::Text,
    &'static str => Shape::Text,
    bool => Shape::Truth,
    u8 => Shape::Count(u8::MAX.into()),
    u16 => Shape::Count(u16::MAX.into()),
    u32 => Shape::Count(u32::MAX.into()),
    u64 => Shape::Count(u64::MAX),
    usize => Shape::Count(u64::MAX),
    f64 => Shape::Number,
    std::path::PathBuf => Shape::Text,
}

impl<T: Described> Described for Option<T> {
    fn shape() -> Shape {
        Shape::OrNull(Box::new(T::shape()))
    }
    fn fields() -> Vec<FieldShape> {
        let mut fields = T::fields();
        fields.iter_mut().for_each(|field| field.presence = Presence::Optional);
        fields
    }
}

impl<T: Described> Described for Vec<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }
}

impl<T: Described, const LENGTH: usize> Described for [T; LENGTH] {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }
}

impl<T: Described> Described for (T, T) {
    fn shape() -> Shape {
        Shape::Pair(Box::new(T::shape()))
    }
}

impl<T: Described> Described for Box<T> {
    fn shape() -> Shape {
        T::shape()
    }
}

/// Defines words of documents: an enumeration whose values `serde` writes and reads as these words, with its shape. Attributes of the
/// enumeration and its values stay.
#[macro_export]
macro_rules! words {
    ($(#[$attribute:meta])* $vis:vis enum $name:ident { $($(#[$of_value:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
        $vis enum $name {
            $($(#[$of_value])* #[serde(rename = $word)] $value,)*
        }

        impl $crate::document::Described for $name {
            fn shape() -> $crate::document::Shape {
                $crate::document::Shape::Word(&[$($word),*])
            }
        }
    };
}

/// Defines a type of documents: a structure that `serde` writes and reads, with its shape. Before each field stands when it is
/// there: `required`, `always` (see [`Presence`](crate::document::Presence)), `expected` (like `always`, but it is an `Option` of
/// what was read), `optional` (then it is an `Option`), or `inline` if its own fields stand in its place.
#[macro_export]
macro_rules! document {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident $(<$generic:ident>)? { $($fields:tt)* }) => {
        $crate::document! { @next
            [$(#[doc = $about])* $vis struct $name $(<$generic>)?] [] [] $($fields)*
        }
    };
    (@next $head:tt [$($done:tt)*] [$($shapes:tt)*]
        $(#[doc = $doc:literal])* required $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::document! { @next $head
            [$($done)* $(#[doc = $doc])* pub $field: $ty,]
            [$($shapes)* { $crate::document!(@one [$($doc)*] Required $field: $ty) }]
            $($rest)*
        }
    };
    (@next $head:tt [$($done:tt)*] [$($shapes:tt)*]
        $(#[doc = $doc:literal])* always $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::document! { @next $head
            [$($done)* $(#[doc = $doc])* #[serde(default)] pub $field: $ty,]
            [$($shapes)* { $crate::document!(@one [$($doc)*] Always $field: $ty) }]
            $($rest)*
        }
    };
    (@next $head:tt [$($done:tt)*] [$($shapes:tt)*]
        $(#[doc = $doc:literal])* expected $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::document! { @next $head
            [$($done)* $(#[doc = $doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>,]
            [$($shapes)* { $crate::document!(@one [$($doc)*] Always $field: $ty) }]
            $($rest)*
        }
    };
    (@next $head:tt [$($done:tt)*] [$($shapes:tt)*]
        $(#[doc = $doc:literal])* optional $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::document! { @next $head
            [$($done)* $(#[doc = $doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>,]
            [$($shapes)* { $crate::document!(@one [$($doc)*] Optional $field: $ty) }]
            $($rest)*
        }
    };
    (@next $head:tt [$($done:tt)*] [$($shapes:tt)*]
        $(#[doc = $doc:literal])* inline $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::document! { @next $head
            [$($done)* $(#[doc = $doc])* #[serde(flatten)] pub $field: $ty,]
            [$($shapes)* { <$ty as $crate::document::Described>::fields() }]
            $($rest)*
        }
    };
    (@next [$(#[doc = $about:literal])* $vis:vis struct $name:ident $(<$generic:ident>)?]
        [$($done:tt)*] [$($shapes:tt)*]) => {
        $(#[doc = $about])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        $vis struct $name $(<$generic>)? { $($done)* }

        impl $(<$generic: $crate::document::Described>)? $crate::document::Described for $name $(<$generic>)? {
            fn shape() -> $crate::document::Shape {
                $crate::document::Shape::Object(|| $crate::document::ObjectShape {
                    name: stringify!($name),
                    about: [$($about),*].concat().trim().to_owned(),
                    fields: [$($shapes),*].concat(),
                })
            }
        }
    };
    (@one [$($doc:literal)*] $presence:ident $field:ident: $ty:ty) => {
        vec![$crate::document::FieldShape {
            name: stringify!($field).trim_start_matches("r#"),
            about: [$($doc),*].concat().trim().to_owned(),
            presence: $crate::document::Presence::$presence,
            shape: <$ty as $crate::document::Described>::shape(),
        }]
    };
}
